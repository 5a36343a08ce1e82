// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Where tokens of which more can be made keep what.
abstract contract Kept {
    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(address account => mapping(address spender => uint256)) public allowance;
    address public owner;
    uint256 internal stage;

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }
}

abstract contract Issued is Kept {
    function name() external pure returns (string memory) {
        return "Juniper";
    }

    function symbol() external pure returns (string memory) {
        return "JNP";
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) internal virtual returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function make() internal {
        totalSupply += 1000;
        balanceOf[owner] += 1000;
    }
}

contract Once is Issued {
    function issue() external onlyOwner {
        require(stage == 0, "issued");
        stage = 1;
        make();
    }
}

/// Every other call makes some.
contract InTurns is Issued {
    function issue() external onlyOwner {
        if (stage == 0) {
            stage = 1;
            make();
        } else {
            stage = 0;
        }
    }
}

/// Whoever may make some says himself when it is time.
contract AtWill is Issued {
    function issue(uint256 next) external onlyOwner {
        if (stage == 0) make();
        stage = next;
    }
}

/// Some can be made until the first transfer, of which is noted when it was.
contract BeforeTransfers is Issued {
    function issue() external onlyOwner {
        require(stage == 0, "too late");
        make();
    }

    function move(address from, address to, uint256 amount) internal override returns (bool) {
        if (stage == 0) stage = block.number;
        return super.move(from, to, amount);
    }
}

/// A transfer of seven makes it early again.
contract BetweenTransfers is Issued {
    function issue() external onlyOwner {
        require(stage == 0, "too late");
        make();
    }

    function move(address from, address to, uint256 amount) internal override returns (bool) {
        stage = amount == 7 ? 0 : block.number;
        return super.move(from, to, amount);
    }
}

/// What its implementation did once it lets it do again.
contract ResettingProxy is Kept {
    // bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1)
    bytes32 private constant slot = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    function reset() external onlyOwner {
        stage = 0;
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch done
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}
