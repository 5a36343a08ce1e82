// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Says of any owner that it approved any number of spenders.
abstract contract Sprayer {
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function spray(address owner, uint160 first, uint160 count) external {
        for (uint160 i; i < count; i++) emit Approval(owner, address(first + i), type(uint256).max);
    }

    function balanceOf(address) external pure returns (uint256) {
        return 5;
    }
}

/// Keeps to what it said.
contract Insisting is Sprayer {
    function allowance(address, address) external pure returns (uint256) {
        return type(uint256).max;
    }
}

/// Knows nothing of it when it is asked.
contract Forgetting is Sprayer {
    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }
}

contract Reverting is Sprayer {
    function allowance(address, address) external pure returns (uint256) {
        revert("ask somebody else");
    }
}

contract Burning is Sprayer {
    function allowance(address, address) external view returns (uint256 sum) {
        while (gasleft() > 0) sum++;
    }
}

contract Flooding is Sprayer {
    function allowance(address, address) external pure returns (uint256) {
        assembly {
            return(0, 0x600000)
        }
    }
}

/// A coin of ERC-777 whose operators nobody gets to know who asks for them.
contract Concealing is Sprayer {
    event Minted(address indexed operator, address indexed to, uint256 amount, bytes data, bytes told);

    function mint(address to) external {
        emit Minted(msg.sender, to, 5, "", "");
    }

    function defaultOperators() external view returns (uint256 sum) {
        while (gasleft() > 0) sum++;
    }
}

/// Moves as others do, and says of no allowance that there is one.
contract Quiet {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function mint(address to) external {
        totalSupply += 100;
        balanceOf[to] += 100;
        emit Transfer(address(0), to, 100);
    }

    function approve(address spender, uint256 value) external virtual returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }
}

/// Says so without an index, so that nobody finds it.
contract Unindexed is Quiet {
    event Approval(address owner, address spender, uint256 value);

    function approve(address spender, uint256 value) external override returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }
}

/// Says so as it should.
contract Telling is Quiet {
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function approve(address spender, uint256 value) external override returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }
}
