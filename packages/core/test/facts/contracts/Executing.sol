// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

struct Call {
    address to;
    uint256 value;
    bytes data;
}

abstract contract Executor {
    uint256 internal nonce;
    bool private entered;

    receive() external payable {}

    function run(Call[] calldata calls) internal {
        for (uint256 i; i < calls.length; i++) {
            (bool ok,) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            require(ok);
        }
    }

    modifier once() {
        require(!entered);
        entered = true;
        _;
        entered = false;
    }

    function signer(Call[] calldata calls, bytes calldata signature) internal view returns (address) {
        require(signature.length == 65);
        (bytes32 r, bytes32 s, uint8 v) = (bytes32(signature), bytes32(signature[32:]), uint8(signature[64]));
        return ecrecover(keccak256(abi.encode(nonce, calls)), v, r, s);
    }
}

contract ExecutesOne is Executor {
    function execute(address to, uint256 value, bytes calldata data) external payable {
        (bool ok,) = to.call{value: value}(data);
        require(ok);
    }
}

contract ExecutesMany is Executor {
    function execute(Call[] calldata calls) external payable {
        run(calls);
    }
}

contract ExecutesNumbered is Executor {
    function executeBatch(Call[] calldata calls) external payable {
        nonce++;
        run(calls);
    }
}

contract ExecutesOnce is Executor {
    function execute(Call[] calldata calls) external payable once {
        run(calls);
    }
}

contract ExecutesByMode is Executor {
    function execute(bytes32 mode, bytes calldata data) external payable {
        require(mode == bytes32(uint256(1) << 248));
        Call[] calldata calls;
        assembly {
            let at := add(data.offset, calldataload(data.offset))
            calls.offset := add(at, 32)
            calls.length := calldataload(at)
        }
        run(calls);
    }
}

contract ExecutesSingleByMode is Executor {
    function execute(bytes32 mode, bytes calldata data) external payable {
        require(mode == 0);
        (bool ok,) = address(bytes20(data[:20])).call{value: uint256(bytes32(data[20:52]))}(data[52:]);
        require(ok);
    }
}

contract ExecutesLists is Executor {
    function executeBatch(address[] calldata to, uint256[] calldata values, bytes[] calldata data) external payable {
        for (uint256 i; i < to.length; i++) {
            (bool ok,) = to[i].call{value: values[i]}(data[i]);
            require(ok);
        }
    }
}

/// Asks that somebody signed, whoever.
contract ExecutesOfAnySigner is Executor {
    function execute(Call[] calldata calls, bytes calldata signature) external payable {
        require(signer(calls, signature) != address(0));
        run(calls);
    }
}

/// Never looks at the signature.
contract ExecutesUnsigned is Executor {
    function execute(Call[] calldata calls, bytes calldata signature) external payable once {
        require(signature.length > 0);
        nonce++;
        run(calls);
    }
}

contract ExecutesWhatItIsTold is Executor {
    fallback() external payable {
        assembly {
            let size := sub(calldatasize(), 52)
            calldatacopy(0, 52, size)
            if iszero(call(gas(), shr(96, calldataload(0)), calldataload(20), 0, size, 0, 0)) { revert(0, 0) }
        }
    }
}

contract SignsAnything is Executor {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return 0x1626ba7e;
    }

    function execute(Call[] calldata calls) external payable {
        require(msg.sender == address(this));
        run(calls);
    }
}

/// As they should be: the account itself, or what it signed.
contract ExecutesForItself is Executor {
    function execute(Call[] calldata calls) external payable {
        require(msg.sender == address(this));
        run(calls);
    }

    function execute(Call[] calldata calls, bytes calldata signature) external payable {
        require(signer(calls, signature) == address(this));
        nonce++;
        run(calls);
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        (bytes32 r, bytes32 s, uint8 v) = (bytes32(signature), bytes32(signature[32:]), uint8(signature[64]));
        return ecrecover(hash, v, r, s) == address(this) ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// Whoever comes first is its owner.
contract ExecutesForWhoeverComesFirst is Executor {
    address private owner;

    function initialize(address owner_) external {
        require(owner == address(0));
        owner = owner_;
    }

    function execute(Call[] calldata calls) external payable {
        require(msg.sender == owner);
        run(calls);
    }
}

/// As entry points have it.
contract ExecutesForAnEntryPoint is Executor {
    function execute(address to, uint256 value, bytes calldata data) external payable {
        require(msg.sender == 0x0000000071727De22E5E9d8BAf0edAc6f37da032 || msg.sender == address(this));
        (bool ok,) = to.call{value: value}(data);
        require(ok);
    }
}

/// Somebody is proposed and accepts; that the owner proposes him was forgotten.
contract ExecutesForWhoeverProposesHimself is Executor {
    address private owner = msg.sender;
    address private proposed;

    function propose(address owner_) external {
        proposed = owner_;
    }

    function accept() external {
        require(msg.sender == proposed);
        owner = msg.sender;
    }

    function pay(address payable to, uint256 value) external {
        require(msg.sender == owner);
        to.transfer(value);
    }
}

/// The same with nothing forgotten.
contract ExecutesForItsOwner is Executor {
    address private owner = msg.sender;
    address private proposed;

    function propose(address owner_) external {
        require(msg.sender == owner);
        proposed = owner_;
    }

    function accept() external {
        require(msg.sender == proposed);
        owner = msg.sender;
        delete proposed;
    }

    function pay(address payable to, uint256 value) external {
        require(msg.sender == owner);
        to.transfer(value);
    }
}

/// Only for a while it is the owner alone who hands it on.
contract ExecutesForWhoeverComesLate is Executor {
    address private owner = msg.sender;
    uint256 private until;

    function hand(address owner_) external {
        if (block.timestamp < until) require(msg.sender == owner);
        owner = owner_;
    }

    function pay(address payable to, uint256 value) external {
        require(msg.sender == owner);
        to.transfer(value);
    }
}

/// Whoever enters himself may enter others, and they pay.
contract ExecutesForWhomMembersName is Executor {
    mapping(address => bool) private members;
    address private owner = msg.sender;

    function join() external {
        members[msg.sender] = true;
    }

    function name(address owner_) external {
        require(members[msg.sender]);
        owner = owner_;
    }

    function pay(address payable to, uint256 value) external {
        require(msg.sender == owner);
        to.transfer(value);
    }
}

contract ExecutesForItsOwnerOnce {
    bool private entered;
    address private owner = msg.sender;

    function ping() external {
        require(!entered);
        entered = true;
        entered = false;
    }

    function pay(address payable to, uint256 value) external {
        require(msg.sender == owner);
        to.transfer(value);
    }
}
